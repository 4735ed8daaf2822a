import type { AnyModel } from '../model/declare/model.ts'
import type { ItemList, MoveOptions, MoveReport } from '../moving/move-options.ts'
import type { ParsedArguments } from './command.ts'
import { count, progressPrinter } from './print-progress.ts'

/** The options of all commands that copy items. */
export const moveOptions = {
  models: { type: 'string' },
  overwrite: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const

export const moveUsage = `  --models <module>  a module that exports a router with the models
  --overwrite        writes over what is there with other content
  --quiet            prints nothing but problems
`

type MoveValues = ParsedArguments<typeof moveOptions>['values']

/** Copies items, shows how far it is, and prints what was done. */
export async function runMove(
  models: readonly AnyModel[],
  { overwrite = false, quiet = false }: MoveValues,
  move: (options: MoveOptions) => Promise<MoveReport>,
): Promise<0 | 1> {
  const report = await move({
    models,
    overwrite,
    ...(!quiet && { onProgress: progressPrinter(process.stderr) }),
  })
  if (!quiet) console.log(summaryOf(report))
  const problems = problemsOf(report)
  for (const problem of problems) console.error(problem)
  return problems.length === 0 ? 0 : 1
}

/** What was copied, in lines. */
export function summaryOf(report: MoveReport): string {
  const { itemCounts, writtenCount, resourceCount, copiedBytes, differences, sha256 } = report
  const total = Object.values(itemCounts).reduce((sum, number) => sum + number, 0)
  return [
    ...Object.entries(itemCounts).map(([model, number]) => `${model}: ${count(number)}`),
    `Wrote ${count(writtenCount)} of ${count(total)} items, and ${count(copiedBytes)} bytes of files.`,
    differences.count === 0
      ? `Checked: ${count(total)} items and ${count(resourceCount)} files are the same, SHA-256 ${sha256}.`
      : `Checked: ${count(differences.count)} of ${count(total)} items differ.`,
  ].join('\n')
}

/** Why the copy is not the same as the original. */
export function problemsOf({ conflicts, differences }: MoveReport): readonly string[] {
  const changedCount = differences.count - conflicts.count
  return [
    ...(conflicts.count > 0
      ? [
          `The target has ${count(conflicts.count)} of the items with other content, which were left alone: ${namesIn(conflicts)}. Use --overwrite to write over them.`,
        ]
      : []),
    ...(changedCount > 0
      ? [
          `${count(changedCount)} items changed while they were copied. These differ: ${namesIn(differences)}. Run the command again.`,
        ]
      : []),
  ]
}

function namesIn({ count: total, first }: ItemList): string {
  const names = first.map(({ model, id }) => `${model} '${id}'`).join(', ')
  return total > first.length ? `${names} and ${count(total - first.length)} more` : names
}
