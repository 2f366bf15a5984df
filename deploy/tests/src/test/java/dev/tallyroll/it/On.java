package dev.tallyroll.it;

import dev.tallyroll.local.LocalCloud;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Gives a test class its {@link TestCloud}, or the {@link LocalCloud} of that; a parameter may have
 * another. Its tests run at the same time as each other and as those of other classes, unless the
 * site is for one test at a time.
 */
@Target({ElementType.TYPE, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(On.Clouds.class)
@ResourceLock(providers = On.Locks.class)
@Execution(ExecutionMode.CONCURRENT)
public @interface On {
  Site value();

  /** Starts a cloud for the first test of each site, and closes it after all tests. */
  final class Clouds implements ParameterResolver {
    private static final Namespace CLOUDS = Namespace.create(Clouds.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      var type = parameter.getParameter().getType();
      return type == TestCloud.class || type == LocalCloud.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
      On on =
          parameter
              .findAnnotation(On.class)
              .orElseGet(() -> test.getRequiredTestClass().getAnnotation(On.class));
      var cloud = cloud(on.value(), test.getRoot().getStore(CLOUDS));
      return parameter.getParameter().getType() == TestCloud.class ? cloud : cloud.local();
    }

    private static TestCloud cloud(Site site, Store clouds) {
      Optional<LocalCloud> others = site.beside().map(other -> cloud(other, clouds).local());
      return clouds.computeIfAbsent(site, key -> start(key, others), TestCloud.class);
    }

    private static TestCloud start(Site site, Optional<LocalCloud> others) {
      var cloud = TestCloud.start(site, others);
      try {
        return others.isPresent() ? cloud : cloud.warmedUp();
      } catch (Exception | AssertionError failure) {
        cloud.close();
        throw new ParameterResolutionException(
            "the local cloud %s does not work; it logged%n%s".formatted(site, cloud.lastLogged()),
            failure);
      }
    }
  }

  /** Locks the site of the annotation, because authors of tests forget a separate lock. */
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
