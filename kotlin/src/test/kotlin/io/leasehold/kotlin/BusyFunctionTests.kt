package io.leasehold.kotlin

import java.util.Optional

import io.leasehold.annotation.DistributedLock
import io.leasehold.annotation.WhenBusy
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.stereotype.Component

/**
 * Tests for functions whose lock is held by another owner.
 */
class BusyFunctionTests {

	private val application = LockedApplication(Orders::class)

	private val orders: Orders = application.bean()

	private val other = application.locks.acquire("k")

	@AfterEach
	fun close() {
		other.close()
		application.close()
	}

	@Test
	fun skippedFunctionsReturnWhatTheirTypesAllow() = runBlocking<Unit> {
		assertThat(orders.nullable()).isNull()
		assertThat(orders.number()).isNull()
		assertThat(orders.optional()).isEmpty()
		assertThat(orders.skippedLines().toList()).isEmpty()
		orders.nothing()
	}

	@Component
	class Orders {

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun nullable(): String? = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun number(): Long? = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun optional(): Optional<String> = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		fun skippedLines(): Flow<String> = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun nothing(): Unit = error("ran")

	}

}
