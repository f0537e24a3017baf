package io.leasehold.interceptor;

import io.leasehold.LockScope;

import org.springframework.aop.Advisor;

/**
 * Advisor that adds the lock's advice to methods of one scope.
 */
interface ScopedAdvisor extends Advisor {

	/** Return the scope of the locks. */
	LockScope scope();

}
