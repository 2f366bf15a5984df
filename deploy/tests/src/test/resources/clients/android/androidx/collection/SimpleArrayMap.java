package androidx.collection;

public class SimpleArrayMap<K, V> extends java.util.HashMap<K, V> {}
