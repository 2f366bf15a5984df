package dev.tallyroll.it;

import dev.tallyroll.local.LocalCloud;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Gives a test class its {@link TestCloud}, or the {@link LocalCloud} of it. Its tests run side by
 * side and with those of other classes; on a site that tests have to themselves, no other runs
 * meanwhile.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(On.Clouds.class)
@ResourceLock(providers = On.Locks.class)
@Execution(ExecutionMode.CONCURRENT)
public @interface On {
  Site value();

  /**
   * One cloud for each site: started for the first test that asks, closed after the last of all.
   */
  final class Clouds implements ParameterResolver {
    private static final Namespace CLOUDS = Namespace.create(Clouds.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      var type = parameter.getParameter().getType();
      return type == TestCloud.class || type == LocalCloud.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
      Site site = test.getRequiredTestClass().getAnnotation(On.class).value();
      var cloud =
          test.getRoot().getStore(CLOUDS).computeIfAbsent(site, Clouds::start, TestCloud.class);
      return parameter.getParameter().getType() == TestCloud.class ? cloud : cloud.local();
    }

    private static TestCloud start(Site site) {
      var cloud = TestCloud.start(site);
      try {
        return cloud.warmedUp();
      } catch (Exception | AssertionError failure) {
        cloud.close();
        throw new ParameterResolutionException(
            "the local cloud " + site + " does not work", failure);
      }
    }
  }

  /** Locks by the annotation, since a separate lock is easily forgotten. */
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
