package dev.tallyroll.it;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Keeps one {@link Bench} for each {@link Site}: starts it for the first test that asks, and closes
 * it after the last test of all. Thread-safe.
 */
final class BenchExtension implements ParameterResolver {
  private static final Namespace BENCHES = Namespace.create(BenchExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Bench.class;
  }

  @Override
  public Bench resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Site site = test.getRequiredTestClass().getAnnotation(On.class).value();
    return test.getRoot().getStore(BENCHES).computeIfAbsent(site, Bench::start, Bench.class);
  }
}
