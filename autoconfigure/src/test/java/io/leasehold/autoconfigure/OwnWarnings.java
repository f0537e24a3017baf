package io.leasehold.autoconfigure;

import java.util.List;

import org.springframework.boot.test.system.CapturedOutput;

/**
 * Warnings of the current thread. The captured output also contains those of threads that
 * earlier tests of the JVM left.
 */
final class OwnWarnings {

	private OwnWarnings() {
	}

	static List<String> in(CapturedOutput output) {
		String start = " WARN  [" + Thread.currentThread().getName() + "]";
		return output.getOut().lines().filter((line) -> line.contains(start)).toList();
	}

}
