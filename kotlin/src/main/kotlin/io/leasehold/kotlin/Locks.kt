package io.leasehold.kotlin

import io.leasehold.DistributedLocks
import io.leasehold.HeldLock
import io.leasehold.HeldLockScope
import io.leasehold.LockOptions
import java.util.concurrent.ConcurrentHashMap
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.future.await
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.withContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** Not limited to the threads of [Dispatchers.IO], which may all wait for the lock. */
private val RELEASES = Dispatchers.IO.limitedParallelism(64)

/**
 * Run a block under a lock. Waiting suspends. A cancellation ends the wait. The lock is
 * released when the block has ended, also if it was cancelled. After a failure, this
 * function also waits for other coroutines that run under the lock. Inside the block,
 * [HeldLock.current] is the lock, and blocking calls and annotated functions re-enter it.
 * This function does not: like the lock of a `Mutex`, its own lock is not re-entered.
 * @throws io.leasehold.LockBusyException if another owner held the lock for the whole wait time
 * @throws io.leasehold.LockLostException if the lock was lost during the block
 */
public suspend fun <T> DistributedLocks.withLock(
	key: String,
	options: LockOptions = defaults(),
	block: suspend (HeldLock) -> T,
): T {
	val lock = acquireSuspending(key, options)
	val scope = LockScopeElement(lock, currentCoroutineContext()[Job])
	val result = runCatching { withContext(scope) { block(lock) } }
	if (result.isFailure) {
		withContext(NonCancellable) { scope.join() }
	}
	lock.releaseAfter(result.exceptionOrNull())
	return result.getOrThrow()
}

private suspend fun DistributedLocks.acquireSuspending(key: String, options: LockOptions): HeldLock {
	val acquisition = acquireAsync(key, options)
	try {
		return acquisition.await()
	}
	catch (ex: CancellationException) {
		// The lock may have been granted at the same moment
		if (!acquisition.cancel(true) && !acquisition.isCompletedExceptionally) {
			acquisition.join().releaseAfter(ex)
		}
		throw ex
	}
}

/** Close a lock in a thread that may block. A failure is suppressed in that of the block. */
private suspend fun HeldLock.releaseAfter(failure: Throwable?) = withContext(NonCancellable + RELEASES) {
	try {
		close()
	}
	catch (ex: RuntimeException) {
		if (failure == null) throw ex
		if (ex !== failure) failure.addSuppressed(ex)
	}
}

/** Opens a scope of a lock in each thread that runs a coroutine of the block. */
private class LockScopeElement(private val lock: HeldLock, private val caller: Job?) :
	AbstractCoroutineContextElement(Key()), ThreadContextElement<HeldLockScope> {

	private val live = ConcurrentHashMap.newKeySet<Job>()

	override fun updateThreadContext(context: CoroutineContext): HeldLockScope {
		val job = context[Job]
		// Without a dispatcher, withContext also passes the context of its caller
		if (job is CoroutineScope && job !== caller && live.add(job)) {
			job.invokeOnCompletion { live.remove(job) }
		}
		return HeldLockScope.open(lock)
	}

	/**
	 * Wait until all coroutines have ended. The block does not wait for those that Spring
	 * starts for a function of a proxied bean, if it is cancelled.
	 */
	suspend fun join() {
		do {
			// A completed one may continue this coroutine before it is removed
			val running = live.filterNot(Job::isCompleted)
			running.joinAll()
		}
		while (running.isNotEmpty())
	}

	override fun restoreThreadContext(context: CoroutineContext, oldState: HeldLockScope) = oldState.close()

	/** Key of one instance, so that the elements of nested blocks do not replace it. */
	private class Key : CoroutineContext.Key<LockScopeElement>

}
