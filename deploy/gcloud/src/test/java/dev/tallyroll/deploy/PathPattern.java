package dev.tallyroll.deploy;

import dev.tallyroll.local.FirestoreEmulator;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A trigger's path pattern, as Google's own class in the emulator's jar reads it. Immutable. */
final class PathPattern {

  private static final Class<?> GOOGLES = googles();

  private final Object pattern;

  private PathPattern(Object pattern) {
    this.pattern = pattern;
  }

  /** Empty where no trigger can have such a pattern. */
  static Optional<PathPattern> of(String text) throws ReflectiveOperationException {
    Method create = GOOGLES.getMethod("create", String.class);
    return ((Optional<?>) create.invoke(null, text)).map(PathPattern::new);
  }

  boolean matches(String document) throws ReflectiveOperationException {
    return (boolean) GOOGLES.getMethod("matches", String.class).invoke(pattern, document);
  }

  private static Class<?> googles() {
    try {
      List<URL> urls = new ArrayList<>();
      for (Path jar : FirestoreEmulator.classPath(System.getenv(), line -> {})) {
        urls.add(jar.toUri().toURL());
      }
      // Left open, as it loads further classes when they are needed.
      return new URLClassLoader(urls.toArray(URL[]::new))
          .loadClass("com.google.cloud.eventflow.eventfilters.filtering.pathpattern.PathPattern");
    } catch (IOException | ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
