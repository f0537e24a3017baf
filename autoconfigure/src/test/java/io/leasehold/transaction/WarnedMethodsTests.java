package io.leasehold.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the methods that {@link OpenTransactionWarning} names.
 */
@ExtendWith(OutputCaptureExtension.class)
class WarnedMethodsTests {

	private static final String WARNING = "was acquired inside an open transaction by ";

	private final Consumer<String> warning = new OpenTransactionWarning();

	@Test
	void methodIsNamedWithItsClassAlone(CapturedOutput output) {
		this.warning.accept("");
		assertThat(output).contains("Lock (unnamed) " + WARNING + "WarnedMethodsTests.methodIsNamedWithItsClassAlone:");
	}

	/** A proxy of interfaces does not show the class that it stands for. */
	@Test
	@SuppressWarnings("unchecked")
	void proxyOfAnInterfaceIsNamedByItsMethod(CapturedOutput output) {
		((Consumer<String>) new ProxyFactory(this.warning).getProxy()).accept("sale");
		assertThat(output).contains("Lock sale " + WARNING + "accept:");
	}

	@Test
	void threadWithoutAMethodOfTheApplicationIsAnotherThread(CapturedOutput output) {
		CompletableFuture.completedFuture("sale").thenAcceptAsync(this.warning).join();
		assertThat(output).contains("Lock sale " + WARNING + "another thread:");
	}

	@Test
	void numberOfMethodsIsBounded(CapturedOutput output) {
		for (int i = 1; i <= OpenTransactionWarning.MOST_METHODS; i++) {
			this.warning.accept("sale-" + i);
			this.warning.accept("sale-" + i);
		}
		this.warning.accept("purchase");
		assertThat(output).containsOnlyOnce("Lock sale-1 " + WARNING)
			.containsOnlyOnce("Lock sale-%s %s".formatted(OpenTransactionWarning.MOST_METHODS, WARNING))
			.doesNotContain("purchase");
	}

}
