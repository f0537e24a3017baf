package io.leasehold.docs;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.cas.CompareAndSetStore;

/**
 * The store of the page about stores, in the examples that use it.
 */
public class MapStore implements CompareAndSetStore {

	@Override
	public Entry read(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean create(String key, String value, Duration timeToLive) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean replace(String key, Entry expected, String value, Duration timeToLive) {
		throw new UnsupportedOperationException();
	}

	public void remove(String key) {
		throw new UnsupportedOperationException();
	}

	public List<String> keysInUse() {
		throw new UnsupportedOperationException();
	}

}
