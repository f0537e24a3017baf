package io.leasehold.kotlin

import io.leasehold.DistributedLocks
import io.leasehold.HeldLock
import io.leasehold.HeldLockScope
import io.leasehold.LockOptions
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** Not limited to the threads of [Dispatchers.IO], which may all wait for the lock. */
private val RELEASES = Dispatchers.IO.limitedParallelism(64)

/**
 * Run a block under a lock. Waiting suspends. A cancellation ends the wait. The lock is
 * released when the block has ended, also if it was cancelled. Inside the block,
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
	val result = runCatching { withContext(LockScopeElement(lock)) { block(lock) } }
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
private class LockScopeElement(private val lock: HeldLock) :
	AbstractCoroutineContextElement(Key()), ThreadContextElement<HeldLockScope> {

	override fun updateThreadContext(context: CoroutineContext): HeldLockScope = HeldLockScope.open(lock)

	override fun restoreThreadContext(context: CoroutineContext, oldState: HeldLockScope) = oldState.close()

	/** Key of one instance, so that the elements of nested blocks do not replace it. */
	private class Key : CoroutineContext.Key<LockScopeElement>

}
