package androidx.collection;

public class ArrayMap<K, V> extends SimpleArrayMap<K, V> {}
