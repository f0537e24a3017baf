package io.leasehold.service;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.engine.local.LocalLockEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scopes that are closed twice, in another order than the reverse one, or never: none
 * stays in effect after a scope around it was closed.
 */
class ScopeOrderTests extends LockServiceFixture {

	private static final int SCOPES = 3;

	private final LockService service = service(new LocalLockEngine(System::nanoTime));

	private final List<HeldLock> locks = List.of(this.service.acquire("a"), this.service.acquire("b"),
			this.service.acquire("c"));

	@AfterEach
	void close() {
		this.locks.forEach(HeldLock::close);
		this.service.close();
	}

	@Test
	void scopeEndsWithTheFirstOfItsOwnClosingAndThoseOfTheScopesAroundIt() {
		for (List<Integer> order : orders(new ArrayList<>(), SCOPES + 1)) {
			List<Integer> closings = new ArrayList<>();
			List<HeldLockScope> scopes = new ArrayList<>(
					this.locks.stream().map((lock) -> HeldLockScope.open(lock, (transaction) -> {
					}, () -> closings.add(lock.key().charAt(0) - 'a'))).toList());
			List<HeldLock> inEffect = new ArrayList<>(this.locks);
			for (int closed : order) {
				scopes.get(closed).close();
				inEffect.removeAll(this.locks.subList(closed, SCOPES));
				List<HeldLock> innermostFirst = new ArrayList<>(inEffect);
				Collections.reverse(innermostFirst);
				assertThat(HeldLockScope.held()).as("%s", order).isEqualTo(innermostFirst);
			}
			scopes.forEach(HeldLockScope::close);
			assertThat(HeldLockScope.held()).isEmpty();
			assertThat(closings).containsExactlyInAnyOrder(0, 1, 2);
		}
	}

	/** Return all sequences of closings of some length. */
	private static List<List<Integer>> orders(List<Integer> before, int length) {
		List<List<Integer>> orders = new ArrayList<>();
		for (int i = 0; i < SCOPES; i++) {
			List<Integer> order = new ArrayList<>(before);
			order.add(i);
			orders.addAll((order.size() < length) ? orders(order, length) : List.of(order));
		}
		return orders;
	}

}
