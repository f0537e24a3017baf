package io.leasehold.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Findings}: what a soak finds in diaries such as these.
 */
class FindingsTests {

	private static final long NEVER = Long.MAX_VALUE;

	private static final String NEXT_OWNER = """
			acquired 1 redis account:1 EXCLUSIVE 128 30 60 90
			ended 1 80
			""";

	@TempDir
	Path folder;

	private final Findings findings = new Findings();

	@Test
	void holderThatStopsAtItsDeadlineAgreesWithTheNextOwner() throws IOException {
		read("acquired 1 redis account:1 EXCLUSIVE 64 0 10 40\nended 1 40\nlost-EXPIRED-redis\n", NEVER);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).isEmpty();
		assertThat(this.findings.count("acquired")).isEqualTo(2);
		assertThat(this.findings.count("lost")).isOne();
	}

	@Test
	void naiveHolderDoesNot() throws IOException {
		read("acquired 1 redis account:1 EXCLUSIVE 64 0 10 40\nended 1 70\nlost-EXPIRED-redis\n", NEVER);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).singleElement().asString().startsWith("redis account:1: overlap: ");
	}

	@Test
	void holdThatAKilledJvmBelievedInCountsToItsDeadline() throws IOException {
		read("acquired 1 redis account:1 EXCLUSIVE 64 0 10 40\nbelieved 1 70\n", NEVER);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).singleElement().asString().contains("ended=70");
		assertThat(this.findings.count("cut-short")).isOne();
	}

	@Test
	void holdOfAKilledJvmCountsToItsDeath() throws IOException {
		read("acquired 1 redis account:1 EXCLUSIVE 64 0 10 40\nbelieved 1 70\n", 60);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).isEmpty();
	}

	@Test
	void lineThatAKilledJvmCouldNotFinishDoesNotCount() throws IOException {
		read("acquired 1 redis account:1 EXCLUSIVE 64 0 10 70\nended 1 7", NEVER);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).hasSize(1);
	}

	@Test
	void sameKeyOfAnotherEngineIsAnotherKey() throws IOException {
		read("acquired 1 jdbc account:1 EXCLUSIVE 64 0 10 70\nended 1 70\n", NEVER);
		read(NEXT_OWNER, NEVER);
		assertThat(this.findings.violations()).isEmpty();
	}

	@Test
	void eachPartOfASplitMayHaveAnOwner() throws IOException {
		exempt(50, 100, "account:1");
		read("acquired 1 hazelcast account:1 EXCLUSIVE 64 0 10 70\nended 1 70\n", NEVER);
		read("acquired 1 hazelcast account:1 EXCLUSIVE 64 0 60 90\nended 1 90\n", NEVER);
		assertThat(this.findings.violations()).isEmpty();
		assertThat(this.findings.exemptOverlaps()).isOne();
	}

	@Test
	void overlapBesideASplitIsFound() throws IOException {
		exempt(100, 200, "account:1");
		read("acquired 1 hazelcast account:1 EXCLUSIVE 64 0 10 70\nended 1 70\n", NEVER);
		read("acquired 1 hazelcast account:1 EXCLUSIVE 128 0 60 90\nended 1 90\n", NEVER);
		assertThat(this.findings.violations()).singleElement().asString().startsWith("hazelcast account:1: overlap: ");
		assertThat(this.findings.exemptOverlaps()).isZero();
	}

	@Test
	void overlapOfAnEngineThatWasNotSplitIsFound() throws IOException {
		exempt(0, 200, "account:1");
		read("acquired 1 etcd account:1 EXCLUSIVE 64 0 10 70\nended 1 70\n", NEVER);
		read("acquired 1 etcd account:1 EXCLUSIVE 128 0 60 90\nended 1 90\n", NEVER);
		assertThat(this.findings.violations()).singleElement().asString().startsWith("etcd account:1: overlap: ");
	}

	@Test
	void overlapOfAKeyThatAnotherServerHasIsFound() throws IOException {
		exempt(0, 200, "account:2");
		read("acquired 1 hazelcast account:1 EXCLUSIVE 64 0 10 70\nended 1 70\n", NEVER);
		read("acquired 1 hazelcast account:1 EXCLUSIVE 128 0 60 90\nended 1 90\n", NEVER);
		assertThat(this.findings.violations()).singleElement().asString().startsWith("hazelcast account:1: overlap: ");
	}

	@Test
	void acceptedWriteOfAFormerOwnerIsFound() {
		this.findings.accepted("redis", "account:1", 128, "b", 1, 0);
		this.findings.accepted("redis", "account:1", 64, "a", 2, 1);
		assertThat(this.findings.violations())
			.containsExactly("redis account:1: write of a former owner: 64 after 128");
	}

	@Test
	void failedWriteThatIsInTheLedgerIsFound() throws IOException {
		read("rolled-back a\nrolled-back b\n", NEVER);
		this.findings.accepted("redis", "account:1", 64, "b", 1, 0);
		this.findings.accepted("redis", "account:1", 128, "c", 2, 1);
		assertThat(this.findings.violations()).containsExactly("write b: committed, although its transaction failed");
		assertThat(this.findings.count("rolled-back")).isEqualTo(2);
	}

	@Test
	void writeThatReplacesAnotherOneIsFound() {
		this.findings.accepted("redis", "account:1", 64, "a", 1, 0);
		this.findings.accepted("redis", "account:2", 64, "b", 2, 0);
		this.findings.accepted("redis", "account:1", 128, "c", 3, 1);
		this.findings.accepted("redis", "account:1", 192, "d", 4, 1);
		assertThat(this.findings.violations())
			.containsExactly("redis account:1: lost update: write 4 had read 1, not 3");
	}

	@Test
	void unknownCommitMayBeInTheLedger() throws IOException {
		read("unknown-commit a\nunknown-commit b\n", NEVER);
		this.findings.accepted("redis", "account:1", 64, "b", 1, 0);
		assertThat(this.findings.violations()).isEmpty();
		assertThat(this.findings.unknownCommitted()).isOne();
	}

	private void exempt(long begin, long end, String key) {
		this.findings.exempt("hazelcast", List.of(new Exemption(begin, end, Set.of(key))));
	}

	private void read(String diary, long diedAt) throws IOException {
		Path file = Files.createTempFile(this.folder, "diary", "");
		Files.writeString(file, diary);
		this.findings.read(file, diedAt);
	}

}
