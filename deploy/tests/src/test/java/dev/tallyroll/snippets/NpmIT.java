package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.Home;
import dev.tallyroll.local.up.UpProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The npm package as its users get it: packed, installed and used from TypeScript. */
final class NpmIT {
  private static final Path SOURCES = Workspace.CLIENTS.resolve("npm");
  private static final String LOCK = "package-lock.json";
  private static final String[] COMPILE =
      "npx --no-install tsc --strict --module nodenext --target es2022 --lib esnext,dom --types node"
          .split(" ");

  @TempDir private Path folder;

  @Test
  void package_holdsNothingElse() throws Exception {
    assertThat(pack().getAsJsonArray("files"))
        .extracting(file -> file.getAsJsonObject().get("path").getAsString())
        .containsExactlyInAnyOrder(
            "LICENSE",
            "README.md",
            "counters.d.ts",
            "counters.js",
            "node.d.ts",
            "node.js",
            "package.json",
            "web.d.ts",
            "web.js");
  }

  /**
   * Its users are on a server and, under the strict rules, on a page. README's example is run, too.
   */
  @Test
  void typeScript_compilesAndCounts() throws Exception {
    install(folder.resolve(text(pack(), "filename")));
    Files.copy(Workspace.driver("program.ts"), folder.resolve("program.ts"));
    var readme = ReadmeIT.snippets("deploy/clients/npm/README.md", "js");
    Files.writeString(folder.resolve("readme-server.ts"), readme.get(0));
    Files.writeString(folder.resolve("readme-page.ts"), readme.get(1));
    List<String> compile = new ArrayList<>(List.of(COMPILE));
    compile.addAll(List.of("program.ts", "readme-server.ts", "readme-page.ts"));
    Home.run(folder, Map.of(), compile.toArray(new String[0]));

    var up =
        UpProcess.start(
            folder.resolve("errors"), Map.of(), List.of("--traffic=none", "--rules=strict"));
    try {
      Map<String, String> addresses = up.ready();
      Home.run(folder, addresses, "node", "readme-server.js");

      assertThat(Home.run(folder, addresses, "node", "program.js")).contains("true 8");
    } finally {
      up.process().destroy();
    }
  }

  private JsonObject pack() {
    Home.needs("node");
    Home.needs("npm");
    String[] pack = {
      "npm", "pack", "--json", "--loglevel=error", "--pack-destination", "" + folder
    };
    String said = Home.run(SOURCES, Map.of(), pack);
    JsonArray packed = JsonParser.parseString(said.substring(said.indexOf('['))).getAsJsonArray();
    return packed.get(0).getAsJsonObject();
  }

  /** Installs what the lock file names, and the package. */
  private void install(Path tarball) throws Exception {
    JsonObject own =
        JsonParser.parseString(Files.readString(SOURCES.resolve("package.json"))).getAsJsonObject();
    JsonObject user = new JsonObject();
    user.addProperty("name", "user");
    user.addProperty("type", "module");
    user.add("devDependencies", own.get("devDependencies"));
    Files.writeString(folder.resolve("package.json"), new Gson().toJson(user));
    Files.copy(SOURCES.resolve(LOCK), folder.resolve(LOCK));
    String modules = Workspace.ofNpm().resolve("node_modules").toString();
    Home.run(folder, Map.of(), "cp", "-R", modules, "."); // a second "npm ci" takes much longer
    String[] install = {
      "npm", "install", "--no-save", "--ignore-scripts", "--prefer-offline", "" + tarball
    };
    Home.run(folder, Map.of(), install);
  }

  private static String text(JsonObject object, String field) {
    return object.get(field).getAsString();
  }
}
