package io.leasehold.kotlin

import io.leasehold.annotation.DistributedLock
import io.leasehold.annotation.WhenBusy
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.stereotype.Component
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture
import kotlin.reflect.KClass

/**
 * Tests for functions that cannot run under a lock, which fail startup.
 */
class RefusedFunctionTests {

	private fun refusal(bean: KClass<*>) = refusal(bean.java.name)

	@Test
	fun resultsWhoseWorkContinuesAreRefused() {
		assertThat(refusal(ReturnsJob::class)).contains("returns Job, whose work continues")
		assertThat(refusal(ReturnsDeferred::class)).contains("returns Deferred, whose work continues")
		assertThat(refusal(SuspendsForDeferred::class)).contains("returns Deferred, whose work continues")
		assertThat(refusal(SuspendsForDeferreds::class)).contains("returns a List with a Deferred, whose work continues")
		assertThat(refusal(SuspendsForFuture::class)).contains("returns CompletableFuture, whose work continues")
		assertThat(refusal(SuspendsForMono::class)).contains("returns Mono, whose work continues")
		assertThat(refusal(SuspendsForFlow::class)).contains("returns Flow, whose work continues",
			"return a Flow from a function that does not suspend")
		assertThat(refusal(ReturnsStateFlow::class)).contains("returns StateFlow, which no publisher")
	}

	@Test
	fun skippedCallsNeedATypeThatCanBeNull() {
		assertThat(refusal(SkipsSuspending::class)).contains("has whenBusy SKIP, but returns String, which has no value")
		assertThat(refusal(SkipsPlain::class)).contains("has whenBusy SKIP, but returns String, which has no value")
		assertThat(refusal(SkipsNumber::class)).contains("has whenBusy SKIP, but returns long, which has no value")
	}

	@Test
	fun fallbackMustFit() {
		assertThat(refusal(SuspendingFallback::class)).contains("has fallback \"busy\", whose parameters differ")
		assertThat(refusal(OtherFallback::class)).contains("has fallback \"busy\", which returns", "Let it return String")
	}

	/** The compiler turns both into a function of a number. */
	@Test
	fun fallbackMustBeTheOnlyOne() {
		assertThat(refusal(AmbiguousFallback::class)).contains("has fallback \"busy\", of which there are several")
		assertThat(refusal(OverloadedFallback::class)).isNull()
	}

	@Test
	fun finalClassesAreExplained() {
		assertThat(refusal(FinalClass::class)).contains("is final", "compiler plugin kotlin-spring")
	}

	@Test
	fun fencedFunctionsNeedAReactiveDatabase() {
		assertThat(refusal(Fenced::class)).contains("is fenced, but there is no database", "Add a ConnectionFactory")
	}

	@Component
	class ReturnsJob {

		@DistributedLock(key = "'k'")
		fun run(): Job = Job()

	}

	@Component
	class ReturnsDeferred {

		@DistributedLock(key = "'k'")
		fun run(): Deferred<String> = error("ran")

	}

	@Component
	class SuspendsForDeferred {

		@DistributedLock(key = "'k'")
		suspend fun run(): Deferred<String> = error("ran")

	}

	@Component
	class SuspendsForDeferreds {

		@DistributedLock(key = "'k'")
		suspend fun run(): List<Deferred<String>> = error("ran")

	}

	@Component
	class SuspendsForFuture {

		@DistributedLock(key = "'k'")
		suspend fun run(): CompletableFuture<String> = error("ran")

	}

	@Component
	class SuspendsForMono {

		@DistributedLock(key = "'k'")
		suspend fun run(): Mono<String> = error("ran")

	}

	@Component
	class SuspendsForFlow {

		@DistributedLock(key = "'k'")
		suspend fun run(): Flow<String> = error("ran")

	}

	@Component
	class ReturnsStateFlow {

		@DistributedLock(key = "'k'")
		fun run(): StateFlow<String> = error("ran")

	}

	@Component
	class SkipsSuspending {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		suspend fun run(): String = error("ran")

	}

	@Component
	class SkipsPlain {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		fun run(): String = error("ran")

	}

	@Component
	class SkipsNumber {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		fun run(): Long = error("ran")

	}

	@Component
	class SuspendingFallback {

		@DistributedLock(key = "'k'", fallback = "busy")
		fun run(): String = error("ran")

		suspend fun busy(): String = error("ran")

	}

	@Component
	class OtherFallback {

		@DistributedLock(key = "'k'", fallback = "busy")
		suspend fun run(): String = error("ran")

		suspend fun busy(): Int = error("ran")

	}

	@JvmInline
	value class OrderId(val value: Long)

	@JvmInline
	value class CustomerId(val value: Long)

	@Component
	class AmbiguousFallback {

		@DistributedLock(key = "'k'", fallback = "busy")
		fun run(id: OrderId): String = error("ran")

		fun busy(id: OrderId): String = error("ran")

		fun busy(id: CustomerId): String = error("ran")

	}

	@Component
	class OverloadedFallback {

		@DistributedLock(key = "'k'", fallback = "busy")
		fun run(id: OrderId): String = error("ran")

		fun busy(id: OrderId): String = error("ran")

		fun busy(id: OrderId, name: String): String = error("ran")

	}

	class FinalClass {

		@DistributedLock(key = "'k'")
		fun run() = Unit

	}

	@Component
	class Fenced {

		@DistributedLock(key = "'k'", fenced = true)
		suspend fun run() = Unit

	}

}
