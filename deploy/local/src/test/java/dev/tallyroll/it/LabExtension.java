package dev.tallyroll.it;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Keeps one {@link Lab} for each {@link Site}: starts it for the first test that asks, and closes
 * it after the last test of all. Thread-safe.
 */
final class LabExtension implements ParameterResolver {
  private static final Namespace LABS = Namespace.create(LabExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Lab.class;
  }

  @Override
  public Lab resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Site site = test.getRequiredTestClass().getAnnotation(On.class).value();
    return test.getRoot().getStore(LABS).computeIfAbsent(site, LabExtension::start, Lab.class);
  }

  private static Lab start(Site site) {
    var lab = Lab.start(site);
    try {
      return lab.warmedUp();
    } catch (Exception | AssertionError failure) {
      lab.close();
      throw new ParameterResolutionException("the local cloud " + site + " does not work", failure);
    }
  }
}
