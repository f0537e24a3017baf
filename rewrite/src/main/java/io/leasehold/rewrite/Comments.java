package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.List;

import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/**
 * Comments before annotations.
 */
final class Comments {

	private static final String BEGIN = " TODO Leasehold: ";

	private Comments() {
	}

	/** Add comments to an annotation, except those that it has from an earlier run. */
	static J.Annotation add(Cursor cursor, J.Annotation annotation, List<String> texts) {
		Space prefix = annotation.getPrefix();
		Space declared = declaration(cursor).getPrefix();
		List<Comment> comments = new ArrayList<>(prefix.getComments());
		for (String text : texts) {
			String line = BEGIN + text.replaceAll("\\s+", " ");
			if (!isIn(prefix, line) && !isIn(declared, line)) {
				comments.add(new TextComment(false, line, "\n" + declared.getIndent(), Markers.EMPTY));
			}
		}
		return (comments.size() == prefix.getComments().size()) ? annotation
				: annotation.withPrefix(prefix.withComments(comments));
	}

	private static boolean isIn(Space space, String line) {
		return space.getComments().stream().anyMatch((comment) -> line.equals(text(comment)));
	}

	private static String text(Comment comment) {
		return (comment instanceof TextComment line) ? line.getText() : "";
	}

	private static J declaration(Cursor annotation) {
		return annotation.dropParentUntil((value) -> value instanceof J && !(value instanceof J.Annotation)).getValue();
	}

}
