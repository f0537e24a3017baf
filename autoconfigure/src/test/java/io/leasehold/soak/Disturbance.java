package io.leasehold.soak;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.server.FaultProxy;

/**
 * What happens to a JVM of a soak, for a while.
 */
enum Disturbance {

	/** Stopped, mostly for less than a lease or for more. */
	STOP(4) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			jvm.freeze();
			pause(jvm, jvm.random().nextBoolean() ? 1000 : 4000);
			jvm.wake();
		}
	},

	/** Killed, and replaced by another one. */
	KILL(1) {
		@Override
		void strike(SoakJvm jvm) {
			jvm.replace();
		}
	},

	/** The library can start no thread. */
	NO_THREADS(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			jvm.order("no threads");
			pause(jvm, 3000);
			jvm.order("threads");
		}
	},

	/** Nothing goes through to a store, or back, until it all does. */
	BLACK_HOLE(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, FaultProxy::blackHole);
		}
	},

	/** No request goes through until all do. */
	HELD_REQUESTS(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, (network) -> network.requests().hold());
		}
	},

	/** No reply goes through until all do. */
	HELD_REPLIES(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, (network) -> network.replies().hold());
		}
	},

	/** Requests of old connections go through after those of new ones. */
	LATE_REQUESTS(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			List<FaultProxy.Valve> stranded = jvm.anyNetworks().stream().map(FaultProxy::strandRequests).toList();
			pause(jvm, 3000);
			stranded.forEach(FaultProxy.Valve::open);
		}
	},

	/** Requests are carried out, and their connections break instead of replies. */
	LOST_REPLIES(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, (network) -> network.replies().reset());
		}
	},

	/** Connections break, and no new one comes about. */
	RESET(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, (network) -> {
				network.refuse();
				network.reset();
			});
		}
	},

	/** Connections are closed in an orderly way. */
	FINISH(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			disturb(jvm, FaultProxy::finish);
		}
	},

	/** All that goes through takes its time. */
	DELAY(2) {
		@Override
		void strike(SoakJvm jvm) throws InterruptedException {
			Duration delay = Duration.ofMillis(10 + jvm.random().nextInt(200));
			disturb(jvm, (network) -> {
				network.requests().delay(delay);
				network.replies().delay(delay);
			});
		}
	};

	/** How often it comes, compared with others. */
	final int share;

	Disturbance(int share) {
		this.share = share;
	}

	abstract void strike(SoakJvm jvm) throws InterruptedException;

	private static void disturb(SoakJvm jvm, Consumer<FaultProxy> begin) throws InterruptedException {
		List<FaultProxy> networks = jvm.anyNetworks();
		networks.forEach(begin);
		pause(jvm, 3000);
		networks.forEach(FaultProxy::heal);
	}

	private static void pause(SoakJvm jvm, int mostMillis) throws InterruptedException {
		Thread.sleep(jvm.random().nextInt(mostMillis));
	}

}
