package io.leasehold.engine;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Member}.
 */
class MemberTests {

	private final Member member = Member.of("shop");

	@Test
	void membersOfOneProcessDiffer() {
		assertThat(this.member.id()).startsWith("shop@").isNotEqualTo(Member.of("shop").id());
	}

	@Test
	void ownersNeverRepeat() {
		Set<String> tokens = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			tokens.add(this.member.newOwner().token());
		}
		assertThat(tokens).hasSize(1000);
	}

	@Test
	void ownerKeepsItsTokenWhoeverAsksFirst() {
		Owner owner = this.member.newOwner();
		Set<String> tokens = IntStream.range(0, 1000)
			.parallel()
			.mapToObj((request) -> owner.token())
			.collect(Collectors.toSet());
		assertThat(tokens).containsExactly(owner.token());
	}

	/** Copies of one process have nothing in common but what they made before. */
	@Fault(90)
	@Test
	void renewedMemberHasAnotherIdAndOtherSecrets() {
		String before = this.member.id();
		Owner first = this.member.newOwner();
		Owner second = this.member.newOwner();
		this.member.renew();
		assertThat(this.member.id()).startsWith("shop@").isNotEqualTo(before);
		assertThat(first.token()).startsWith(before + "/");
		assertThat(this.member.newOwner().token()).startsWith(this.member.id() + "/");
		assertThat(secret(this.member.newOwner())).isNotEqualTo(secret(second));
	}

	@Test
	void threadIsShownInPrintableCharactersThatSeparateNothing() {
		assertThat(this.member.newOwner("a!~b")).hasToString(this.member.id() + "/a!~b");
		assertThat(this.member.newOwner("@a b:c\u007fd\ne/f%g{}\u00e4"))
			.hasToString(this.member.id() + "/_a_b_c_d_e_f_g___");
		assertThat(this.member.newOwner("@")).hasToString(this.member.id() + "/_");
		assertThat(this.member.newOwner("pool#1")).as("stores add terms behind it")
			.hasToString(this.member.id() + "/pool_1");
		assertThat(this.member.newOwner("t".repeat(40))).hasToString(this.member.id() + "/" + "t".repeat(40));
		assertThat(this.member.newOwner("t".repeat(40) + "u")).hasToString(this.member.id() + "/" + "t".repeat(40));
	}

	@Test
	void holderIsReadFromItsTokenUnlessThatIsForeign() {
		Holder holder = Holder.of(this.member.newOwner("worker").token(), 7, Instant.EPOCH, null);
		assertThat(holder.application()).isEqualTo("shop");
		assertThat(holder.thread()).isEqualTo("worker");
		assertThat(Holder.of("foreign", 7, Instant.EPOCH, null).application()).isEqualTo("unknown");
		assertThat(Holder.of("a@h:99999999999999999999:0/main/0", 7, Instant.EPOCH, null).application())
			.isEqualTo("unknown");
	}

	private static String secret(Owner owner) {
		return owner.token().substring(owner.token().lastIndexOf('/'));
	}

}
