package io.leasehold.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamedTestsTests {

	private static final Pattern NAME = Pattern.compile("([A-Z][a-z0-9]\\w*(?:Tests|Contract))(?:\\.(\\w+))?");

	private final Map<String, String> sources = Manual
		.files((name) -> name.matches(".*/src/test/.*(Tests|Contract)\\.java"))
		.collect(Collectors.toMap((file) -> file.getFileName().toString().replace(".java", ""), Manual::read));

	@Test
	void everyTestThatTheManualNamesIsThere() {
		List<String> unknown = new ArrayList<>();
		int count = 0;
		for (Page page : Manual.pages()) {
			for (String code : page.code()) {
				var name = NAME.matcher(code);
				if (name.matches()) {
					count++;
					if (!isThere(name.group(1), name.group(2))) {
						unknown.add(page + ": " + code);
					}
				}
			}
		}
		assertThat(count).isPositive();
		assertThat(unknown).isEmpty();
	}

	private boolean isThere(String type, @Nullable String method) {
		String source = this.sources.get(type);
		return source != null && (method == null || source.contains("void " + method + "("));
	}

}
