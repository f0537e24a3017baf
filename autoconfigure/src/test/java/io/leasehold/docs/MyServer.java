package io.leasehold.docs;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;

/**
 * The store of somebody's own engine, in examples.
 */
public interface MyServer {

	static MyServer start() {
		throw new UnsupportedOperationException();
	}

	LockEngine connect(String namespace, Member member);

}
