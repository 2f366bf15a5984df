// Not run by this project's tests. A counter on a .NET server; with FIRESTORE_EMULATOR_HOST in the
// environment and the project demo-tallyroll, Connect leads to the local stack.
using System;
using System.Threading.Tasks;
using Google.Api.Gax;
using Google.Cloud.Firestore;

public sealed record ShardedCounter(FirestoreDb Db, string Id, int NumShards)
{
    public static Task<FirestoreDb> Connect(string projectId) => new FirestoreDbBuilder
    {
        ProjectId = projectId,
        EmulatorDetection = EmulatorDetection.EmulatorOrProduction,
    }.BuildAsync();

    /// <summary>Makes the shards, all at zero, in one batch.</summary>
    public Task CreateAsync()
    {
        WriteBatch batch = Db.StartBatch();
        for (int number = 0; number < NumShards; number++)
        {
            batch.Set(Shard(number), new { count = 0 });
        }
        return batch.CommitAsync();
    }

    /// <summary>Adds one to a random shard.</summary>
    public Task IncrementAsync() =>
        Shard(Random.Shared.Next(NumShards)).UpdateAsync("count", FieldValue.Increment(1));

    /// <summary>Shows the total now and whenever it changes, until it is stopped.</summary>
    public FirestoreChangeListener Listen(Action<double> show) =>
        Db.Collection("rollups").Document(Id).Listen(
            rollup => show(rollup.Exists ? rollup.GetValue<double>("count") : 0));

    private DocumentReference Shard(int number) =>
        Db.Collection("counters").Document(Id).Collection("shards").Document(number.ToString());
}
