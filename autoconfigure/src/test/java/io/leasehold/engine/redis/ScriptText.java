package io.leasehold.engine.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Text of a Lua script and the commands that it calls, found without running it.
 *
 * @param code the text without comments, with empty string literals except for the names
 * of commands
 */
record ScriptText(String code, List<Call> calls) {

	private static final Pattern CALL = Pattern.compile("redis\\.(p?)call\\s*\\(");

	private static final Pattern KEY = Pattern.compile("KEYS\\[(\\d+)]");

	/** Parse a text. */
	static ScriptText of(String text) {
		String code = text.replaceAll("--[^\n]*", "");
		List<Call> calls = new ArrayList<>();
		Matcher begins = CALL.matcher(code);
		while (begins.find()) {
			calls.add(new Call(!begins.group(1).isEmpty(), arguments(code, begins.end())));
		}
		return new ScriptText(code, calls);
	}

	/** Split the arguments of a call that begin at an index. */
	private static List<String> arguments(String code, int begin) {
		List<String> arguments = new ArrayList<>();
		int depth = 0;
		int from = begin;
		boolean quoted = false;
		for (int i = begin; depth >= 0; i++) {
			char c = code.charAt(i);
			quoted ^= c == '\'';
			if (quoted) {
				continue;
			}
			depth += ("([{".indexOf(c) >= 0) ? 1 : (")]}".indexOf(c) >= 0) ? -1 : 0;
			if (depth < 0 || (depth == 0 && c == ',')) {
				arguments.add(code.substring(from, i).trim());
				from = i + 1;
			}
		}
		return arguments;
	}

	/** Return the greatest number of a key, 0 for none. */
	int greatestKey() {
		return KEY.matcher(this.code).results().mapToInt((key) -> Integer.parseInt(key.group(1))).max().orElse(0);
	}

	/** Return whether keys appear in another form than {@code KEYS[1]}. */
	boolean hasKeysInExpressions() {
		return Pattern.compile("KEYS(?!\\[\\d+])").matcher(this.code).find();
	}

	/** Return whether commands may be called by another name. */
	boolean hasOtherCalls() {
		return Pattern.compile("redis\\.p?call\\b(?!\\s*\\()|(?<!\\w)redis(?!\\.)\\b").matcher(this.code).find();
	}

	/** Return whether the text contains a word. */
	boolean contains(String word) {
		return Pattern.compile("(?<!\\w)" + Pattern.quote(word) + "(?!\\w)").matcher(this.code).find();
	}

	/**
	 * Call of a command.
	 *
	 * @param isProtected whether the script continues after an error
	 * @param arguments the text of each argument, with that of the command's name
	 */
	record Call(boolean isProtected, List<String> arguments) {

		private static final Set<String> WITHOUT_KEYS = Set.of("TIME", "PUBLISH");

		private static final Set<String> OF_KEYS = Set.of("MGET", "EXISTS", "DEL");

		boolean namesItsCommand() {
			return this.arguments.get(0).matches("'[A-Z]+'");
		}

		String command() {
			return this.arguments.get(0).replace("'", "");
		}

		/** Return the arguments that are keys. */
		List<String> keys() {
			if (WITHOUT_KEYS.contains(command())) {
				return List.of();
			}
			int last = OF_KEYS.contains(command()) ? this.arguments.size() - 1 : 1;
			return IntStream.rangeClosed(1, last).mapToObj(this.arguments::get).toList();
		}

	}

}
