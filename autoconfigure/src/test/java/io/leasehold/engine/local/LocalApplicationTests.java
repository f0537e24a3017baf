package io.leasehold.engine.local;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.engine.MonotonicClock;
import org.junit.jupiter.api.Tag;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link LocalLockEngine}: those that share one.
 */
@Tag("full")
class LocalApplicationTests extends ApplicationContract {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, this.store);
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		LocalLockEngine down = new LocalLockEngine(MonotonicClock.SYSTEM);
		down.faults().setDown(true);
		connect(application, down);
	}

	private static void connect(SpringApplicationBuilder application, LocalLockEngine engine) {
		application.properties("leasehold.engine=local")
			.initializers((context) -> context.getBeanFactory().registerSingleton("localLockEngine", engine));
	}

}
