package io.leasehold.kotlin

import java.io.IOException
import java.time.Duration

import io.leasehold.HeldLock
import io.leasehold.LockLostException
import io.leasehold.annotation.DistributedLock
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.stereotype.Component

/**
 * Tests for functions that lose their lock.
 */
class LostFunctionTests {

	/** Lose the current lock, and wait until it is lost. */
	private suspend fun lose() {
		val lost = CompletableDeferred<Unit>()
		HeldLock.current().onLost { lost.complete(Unit) }
		try {
			HeldLock.current().extend(Duration.ofMillis(1))
		}
		catch (ex: LockLostException) {
			// It was lost before the call returned
		}
		lost.await()
	}

	@Test
	fun lossIsThrownAtTheEnd() = runBlocking<Unit> {
		LockedApplication(Orders::class).use { application ->
			assertThrows<LockLostException> { application.bean<Orders>().run(1) { lose() } }
		}
	}

	@Test
	fun lossIsSuppressedInTheFailureOfTheBody() = runBlocking<Unit> {
		LockedApplication(Orders::class).use { application ->
			val failure = assertThrows<IOException> {
				application.bean<Orders>().run(1) {
					lose()
					throw IOException("disk")
				}
			}
			// With assertions enabled, coroutines throw a copy whose cause is the original
			val causes = generateSequence<Throwable>(failure) { it.cause }.toList()
			assertThat(causes.flatMap { it.suppressed.toList() }).anyMatch { it is LockLostException }
		}
	}

	@Test
	fun lossCancelsTheBodyIfConfigured() = runBlocking<Unit> {
		LockedApplication(Orders::class, properties = listOf("leasehold.on-lost=interrupt")).use { application ->
			val gate = CompletableDeferred<Unit>()
			val cancelled = CompletableDeferred<Unit>()
			supervisorScope {
				val call = async {
					application.bean<Orders>().run(1) {
						try {
							lose()
							awaitCancellation()
						}
						catch (ex: CancellationException) {
							withContext(NonCancellable) {
								cancelled.complete(Unit)
								gate.await()
							}
							throw ex
						}
					}
				}
				cancelled.await()
				assertThat(call.isActive).isTrue()
				gate.complete(Unit)
				val loss = assertThrows<LockLostException> { call.await() }
				assertThat(loss.suppressed).isEmpty()
			}
		}
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun <T> run(id: Long, body: suspend () -> T): T = body()

	}

}
