package io.leasehold.kotlin

import io.leasehold.DistributedLocks
import io.leasehold.HeldLock
import io.leasehold.annotation.DistributedLock
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.springframework.stereotype.Service

/** The examples of the page on Kotlin. */
class ManualExamples {

	data class Receipt(val order: Long, val token: Long)

	@Service
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun pay(id: Long): Receipt {
			delay(100)
			return Receipt(id, HeldLock.current().fencingToken())
		}

		@DistributedLock(key = "'order:' + #id")
		fun lines(id: Long): Flow<String> = flow {
			emit("first line of order $id")
		}

	}

	suspend fun close(locks: DistributedLocks, id: Long) = locks.withLock("order:$id") { lock ->
		check(lock.isValid)
	}

}
