// Package counter increments and shows sharded counters on a Go server, with the sample's field
// Count, so the entry needs "sum": "Count". With FIRESTORE_EMULATOR_HOST in the environment,
// firestore.NewClient(ctx, "demo-tallyroll") works on the local stack.
package counter

import (
	"context"
	"math/rand"
	"strconv"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Shard is one of a counter's documents, which share its increments.
type Shard struct {
	Count int64
}

// Create makes the shards, all at zero, in one batch. It fails if any of them exists.
func Create(ctx context.Context, db *firestore.Client, id string, numShards int) error {
	batch := db.Batch()
	for n := 0; n < numShards; n++ {
		batch.Create(shard(db, id, n), Shard{})
	}
	_, err := batch.Commit(ctx)
	return err
}

// Increment adds one to a random shard.
func Increment(ctx context.Context, db *firestore.Client, id string, numShards int) error {
	_, err := shard(db, id, rand.Intn(numShards)).Update(ctx, []firestore.Update{
		{Path: "Count", Value: firestore.Increment(1)},
	})
	return err
}

// Listen shows the total, an int64 or a float64, now and after each change, until ctx is done.
func Listen(ctx context.Context, db *firestore.Client, id string, show func(total any)) error {
	rollups := db.Collection("rollups").Doc(id)
	snapshots := rollups.Snapshots(ctx)
	defer func() { snapshots.Stop() }()
	for {
		rollup, err := snapshots.Next()
		if status.Code(err) == codes.Canceled && ctx.Err() == nil {
			// A server or proxy has cut the stream, and the library does not open another.
			snapshots.Stop()
			snapshots = rollups.Snapshots(ctx)
			continue
		}
		if err != nil {
			return err
		}
		if rollup.Exists() {
			show(rollup.Data()["count"])
		} else {
			show(int64(0))
		}
	}
}

func shard(db *firestore.Client, id string, n int) *firestore.DocumentRef {
	return db.Collection("counters").Doc(id).Collection("shards").Doc(strconv.Itoa(n))
}
