package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.List;

import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
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
		Cursor declaration = cursor
			.dropParentUntil((value) -> value instanceof J.MethodDeclaration || value instanceof J.ClassDeclaration);
		String indent = ((J) declaration.getValue()).getPrefix().getIndent();
		List<Comment> comments = new ArrayList<>(annotation.getComments());
		for (String text : texts) {
			String line = BEGIN + text.replaceAll("\\s+", " ");
			if (!isIn(annotation, line) && !isBefore(cursor, declaration, line)) {
				comments.add(new TextComment(false, line, "\n" + indent, Markers.EMPTY));
			}
		}
		return (comments.size() == annotation.getComments().size()) ? annotation : annotation.withComments(comments);
	}

	/** Whether a comment is before the annotation: it belongs to what begins with it. */
	private static boolean isBefore(Cursor annotation, Cursor declaration, String line) {
		Cursor cursor = annotation;
		while (cursor != declaration) {
			cursor = cursor.getParentTreeCursor();
			if (isIn(cursor.getValue(), line)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isIn(J element, String line) {
		return element.getComments()
			.stream()
			.anyMatch((comment) -> comment instanceof TextComment text && line.equals(text.getText()));
	}

}
