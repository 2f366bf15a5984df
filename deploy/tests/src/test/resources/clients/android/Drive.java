import android.app.Application;
import com.google.android.gms.tasks.Task;
import com.google.android.gms.tasks.Tasks;
import com.google.firebase.FirebaseApp;
import com.google.firebase.FirebaseOptions;
import com.google.firebase.FirebasePlatform;
import com.google.firebase.auth.FirebaseAuth;
import com.google.firebase.firestore.FirebaseFirestore;
import com.google.firebase.firestore.FirebaseFirestoreSettings;
import com.google.firebase.firestore.MemoryCacheSettings;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A signed-in phone that counts with a network, without one, and with one again. Arguments: host
 * and port of Firestore, project, counter, number of its shards. Prints what it saw, a line each.
 */
final class Drive {
  private static final int ONLINE = 20;
  private static final int OFFLINE = 5;

  public static void main(String[] arguments) {
    int status = 1;
    try {
      run(arguments);
      status = 0;
    } catch (Exception failure) {
      failure.printStackTrace();
    }
    System.exit(status); // the SDK's threads are no daemons
  }

  private static void run(String[] arguments) throws Exception {
    FirebaseFirestore db = connect(arguments[0], Integer.parseInt(arguments[1]), arguments[2]);
    var counter = new ShardedCounter(db, arguments[3], Integer.parseInt(arguments[4]));

    await(db.disableNetwork());
    List<Long> shown = new CopyOnWriteArrayList<>();
    var registration = counter.listen(shown::add);
    TimeUnit.SECONDS.sleep(1); // in which nothing must be shown
    System.out.println("before the first answer: " + shown);
    await(db.enableNetwork());
    for (int i = 0; i < ONLINE; i++) {
      await(counter.increment());
    }
    await(shown, ONLINE);
    System.out.println("online: " + last(shown));

    await(db.disableNetwork());
    List<Task<Void>> kept = new ArrayList<>();
    for (int i = 0; i < OFFLINE; i++) {
      kept.add(counter.increment());
    }
    TimeUnit.SECONDS.sleep(1); // in which none must end
    System.out.println("ended offline: " + kept.stream().filter(Task::isComplete).count());
    await(db.enableNetwork());
    for (Task<Void> each : kept) {
      await(each);
    }
    await(shown, ONLINE + OFFLINE);
    System.out.println("back: " + last(shown) + ", " + await(counter.total()));
    registration.remove();
  }

  private static <T> T await(Task<T> task) throws Exception {
    return Tasks.await(task, 60, TimeUnit.SECONDS);
  }

  private static void await(List<Long> shown, long expected) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (last(shown) != expected && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static long last(List<Long> shown) {
    return shown.isEmpty() ? -1 : shown.get(shown.size() - 1);
  }

  private static FirebaseFirestore connect(String host, int port, String project)
      throws Exception {
    Map<String, String> stored = new ConcurrentHashMap<>();
    FirebasePlatform.Companion.initializeFirebasePlatform(
        new FirebasePlatform() {
          @Override
          public void store(String key, String value) {
            stored.put(key, value);
          }

          @Override
          public String retrieve(String key) {
            return stored.get(key);
          }

          @Override
          public void clear(String key) {
            stored.remove(key);
          }

          @Override
          public void log(String line) {}
        });
    var options =
        new FirebaseOptions.Builder()
            .setProjectId(project)
            .setApplicationId("1:1:android:1")
            .setApiKey("key")
            .build();
    FirebaseApp app = FirebaseApp.initializeApp(new Application(), options);
    FirebaseAuth auth = FirebaseAuth.getInstance(app);
    auth.useEmulator("127.0.0.1", identities(project));
    await(auth.signInAnonymously());
    FirebaseFirestore db = FirebaseFirestore.getInstance(app);
    db.useEmulator(host, port);
    db.setFirestoreSettings(
        new FirebaseFirestoreSettings.Builder(db.getFirestoreSettings())
            .setLocalCacheSettings(MemoryCacheSettings.newBuilder().build())
            .build());
    return db;
  }

  /** Signs anybody in, as the emulator of identities does, with a token without a signature. */
  private static int identities(String project) throws Exception {
    long now = System.currentTimeMillis() / 1000;
    String token =
        base64("{\"alg\":\"none\"}")
            + "."
            + base64(
                ("{\"iss\":\"https://securetoken.google.com/%1$s\",\"aud\":\"%1$s\",\"sub\":\"me\","
                        + "\"user_id\":\"me\",\"iat\":%2$d,\"exp\":%3$d}")
                    .formatted(project, now, now + 3600))
            + ".";
    byte[] answer =
        ("{\"idToken\":\"%s\",\"refreshToken\":\"r\",\"expiresIn\":\"3600\",\"localId\":\"me\"}")
            .formatted(token)
            .getBytes(StandardCharsets.UTF_8);
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    return server.getAddress().getPort();
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private Drive() {}
}
