import com.google.cloud.firestore.FirestoreOptions;
import java.util.concurrent.ExecutionException;

/** Runs the snippet in Java as drive.mjs runs others. Its arguments: id, shards, increments. */
final class Drive {
  private Drive() {}

  public static void main(String[] job) throws Exception {
    var db = FirestoreOptions.getDefaultInstance().getService();
    var counter = new ShardedCounter(db, job[0], Integer.parseInt(job[1]));
    var registration = counter.listen(total -> System.out.println("total " + total));
    counter.create().get();
    System.out.println("created 1");
    int acknowledged = 0;
    for (int call = 0; call < Integer.parseInt(job[2]); call++) {
      counter.increment().get();
      acknowledged++;
    }
    try {
      counter.create().get();
      throw new AssertionError("expected a second create to fail");
    } catch (ExecutionException exists) {
      System.out.println("acknowledged " + acknowledged);
    }
    System.in.transferTo(java.io.OutputStream.nullOutputStream());
    registration.remove();
    db.close();
  }
}
