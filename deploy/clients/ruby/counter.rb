# Not run by this project's tests. A counter on a Ruby server; with FIRESTORE_EMULATOR_HOST in the
# environment, Google::Cloud::Firestore.new project_id: "demo-tallyroll" works on the local stack.
require "google/cloud/firestore"

# Makes the shards, all at zero, in one batch.
def create_counter firestore, id, num_shards
  firestore.batch do |batch|
    num_shards.times { |number| batch.set "counters/#{id}/shards/#{number}", { count: 0 } }
  end
end

# Adds one to a random shard.
def increment_counter firestore, id, num_shards
  shard = firestore.doc "counters/#{id}/shards/#{rand num_shards}"
  shard.update({ count: firestore.field_increment(1) })
end

# Shows the total now and whenever it changes, until stop of what this returns.
def listen_to_total firestore, id, &show
  firestore.doc("rollups/#{id}").listen do |rollup|
    show.call rollup.exists? ? rollup[:count] : 0
  end
end
