package io.leasehold.starter.probe;

import java.util.concurrent.Callable;

import org.springframework.cache.annotation.Cacheable;

/**
 * Service whose second call is answered by a cache.
 */
class CachedService implements Callable<Object> {

	private int calls;

	@Override
	@Cacheable("calls")
	public Object call() {
		return ++this.calls;
	}

}
