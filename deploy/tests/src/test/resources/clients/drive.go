// Drive runs the snippet in Go as drive.mjs runs others. Its arguments: id, shards, increments.
package main

import (
	"context"
	"counter"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"cloud.google.com/go/firestore"
)

func main() {
	ctx := context.Background()
	id, shards, increments := os.Args[1], number(os.Args[2]), number(os.Args[3])
	db, err := firestore.NewClient(ctx, os.Getenv("GOOGLE_CLOUD_PROJECT"))
	check(err)
	go func() {
		check(counter.Listen(ctx, db, id, func(total any) { fmt.Println("total", total) }))
	}()
	check(counter.Create(ctx, db, id, shards))
	fmt.Println("created 1")
	for n := 0; n < increments; n++ {
		check(counter.Increment(ctx, db, id, shards))
	}
	if counter.Create(ctx, db, id, shards) == nil {
		log.Fatal("expected a second Create to fail")
	}
	fmt.Println("acknowledged", increments)
	io.Copy(io.Discard, os.Stdin)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
