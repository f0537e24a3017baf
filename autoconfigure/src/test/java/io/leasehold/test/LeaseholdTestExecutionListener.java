package io.leasehold.test;

import java.time.Duration;

import io.leasehold.engine.local.LocalFaults;
import io.leasehold.engine.local.LocalLockEngine;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Test execution listener that isolates tests that share an application context: each
 * begins with an empty record and a store without faults.
 */
class LeaseholdTestExecutionListener extends AbstractTestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			ApplicationContext context = testContext.getApplicationContext();
			context.getBeanProvider(LockRecorder.class).ifAvailable((recorder) -> {
				recorder.clear();
				context.getBeanProvider(LocalLockEngine.class).forEach((engine) -> switchOff(engine.faults()));
			});
		}
	}

	private static void switchOff(LocalFaults faults) {
		faults.setDown(false);
		faults.setLoseReplies(false);
		faults.delayRenewals(Duration.ZERO);
	}

}
