package dev.tallyroll.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Gives the constructor of a test class its {@link Lab}; on one that tests have to themselves, no
 * other test runs meanwhile.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LabExtension.class)
@ResourceLock(providers = On.Locks.class)
public @interface On {
  Site value();

  /** By the annotation, as a lock of its own is easily forgotten. */
  final class Locks implements ResourceLocksProvider {
    @Override
    public Set<Lock> provideForClass(Class<?> test) {
      return locks(test);
    }

    @Override
    public Set<Lock> provideForNestedClass(List<Class<?>> enclosing, Class<?> test) {
      return locks(test);
    }

    private static Set<Lock> locks(Class<?> test) {
      var site = test.getAnnotation(On.class).value();
      return site.isForOneTestAtATime() ? Set.of(new Lock(site.name())) : Set.of();
    }
  }
}
