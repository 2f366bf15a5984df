package dev.tallyroll.local;

import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives test methods and constructors a {@link LocalCloud} that all test classes of this JVM share:
 * started when the first one asks for it, closed after the last test. By default it runs the real
 * functions: {@code @ExtendWith(SharedCloud.class)}. Tests keep apart by the ids of their counters.
 * Thread-safe.
 */
public final class SharedCloud implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(SharedCloud.class);

  private final String name;
  private final Supplier<LocalCloudOptions> options;

  public SharedCloud() {
    this("the real functions", () -> new LocalCloudOptions().settings(Map.of()));
  }

  private SharedCloud(String name, Supplier<LocalCloudOptions> options) {
    this.name = name;
    this.options = options;
  }

  /**
   * One with other options, shared by all who ask for that name; to be registered as a static
   * field.
   */
  static SharedCloud named(String name, Supplier<LocalCloudOptions> options) {
    return new SharedCloud(name, options);
  }

  /**
   * Starts it unless it runs; for extensions and {@code @BeforeAll} callbacks that hold a context.
   */
  LocalCloud cloud(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(name, key -> LocalCloud.start(options.get()), LocalCloud.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == LocalCloud.class;
  }

  @Override
  public LocalCloud resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cloud(context);
  }
}
