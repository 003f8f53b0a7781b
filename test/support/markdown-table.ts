// Tables of generated pages, with aligned columns.

/** The first columns are texts, the others are numbers. */
export function markdownTable(lines: readonly (readonly string[])[], texts = 1): string {
  const [head = [], ...rows] = lines;
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const rule = widths.map((width, column) =>
    column < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [head, rule, ...rows]
    .map((line) => {
      const aligned = line.map((cell, column) =>
        column < texts ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      );
      return `| ${aligned.join(' | ')} |`;
    })
    .join('\n');
}
