package io.leasehold.interceptor;

import io.leasehold.DistributedLocks;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

import static org.awaitility.Awaitility.await;

/**
 * Subscriptions that are cancelled before they request anything, as a time limit may do.
 */
class EarlyCancellationTests {

	private static final int SUBSCRIPTIONS = 100;

	@Test
	void lockThatIsGrantedToACancelledSubscriptionIsReleased() {
		Locked.run(Orders.class, (context) -> {
			Orders orders = context.getBean(Orders.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			for (int id = 0; id < SUBSCRIPTIONS; id++) {
				orders.pay(id).subscribe(new Cancelling());
			}
			for (int id = 0; id < SUBSCRIPTIONS; id++) {
				String key = "order:" + id;
				await().atMost(Locked.SOON).until(() -> Locked.isFree(locks, key));
			}
		});
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public Mono<String> pay(int id) {
			return Mono.just("paid");
		}

	}

	private static final class Cancelling extends BaseSubscriber<String> {

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			subscription.cancel();
		}

	}

}
