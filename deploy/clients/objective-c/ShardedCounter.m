// Not run by this project's tests. A counter in an app for Apple's platforms, in Objective-C. In the
// simulator, [db useEmulatorWithHost:@"127.0.0.1" port:port] leads to the local stack.
@import FirebaseFirestore;

static FIRDocumentReference *ShardOf(FIRDocumentReference *counter, NSInteger number) {
  NSString *name = [NSString stringWithFormat:@"%ld", (long)number];
  return [[counter collectionWithPath:@"shards"] documentWithPath:name];
}

/** The counter and its shards, all at zero, in one batch. */
void CreateCounter(FIRFirestore *db, NSString *counterID, NSInteger numShards,
                   void (^done)(NSError *_Nullable)) {
  FIRDocumentReference *counter = [[db collectionWithPath:@"counters"] documentWithPath:counterID];
  FIRWriteBatch *batch = [db batch];
  [batch setData:@{@"numShards" : @(numShards)} forDocument:counter];
  for (NSInteger number = 0; number < numShards; number++) {
    [batch setData:@{@"count" : @0} forDocument:ShardOf(counter, number)];
  }
  [batch commitWithCompletion:done];
}

/** Adds one to a random shard. */
void IncrementCounter(FIRFirestore *db, NSString *counterID, NSInteger numShards,
                      void (^done)(NSError *_Nullable)) {
  FIRDocumentReference *counter = [[db collectionWithPath:@"counters"] documentWithPath:counterID];
  NSInteger number = arc4random_uniform((uint32_t)numShards);
  [ShardOf(counter, number)
      updateData:@{@"count" : [FIRFieldValue fieldValueForIntegerIncrement:1]}
      completion:done];
}

/** Shows the total now and whenever it changes, until it is removed. */
id<FIRListenerRegistration> ListenToTotal(FIRFirestore *db, NSString *counterID,
                                          void (^show)(NSNumber *)) {
  FIRDocumentReference *rollup = [[db collectionWithPath:@"rollups"] documentWithPath:counterID];
  return [rollup addSnapshotListener:^(FIRDocumentSnapshot *snapshot, NSError *error) {
    if (snapshot != nil) {
      show(snapshot[@"count"] ?: @0);
    }
  }];
}
