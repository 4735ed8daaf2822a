import type { AnyModel } from '../../index.ts'
import { describeModels } from '../../store/public.ts'
import { countOf, formatNumber, joinWords } from '../../text/message-text.ts'
import type { ItemList, ItemName, MoveOptions, MoveReport } from '../moving/move-options.ts'
import type { ParsedArguments } from './command.ts'
import { progressPrinter } from './print-progress.ts'

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
  source: 'store' | 'file' = 'store',
): Promise<0 | 1> {
  const report = await move({
    models,
    overwrite,
    ...(!quiet && { onProgress: progressPrinter(process.stderr) }),
  })
  if (!quiet)
    console.log([summaryOf(report), ...(source === 'store' ? leftBehind(models) : [])].join('\n'))
  const problems = problemsOf(report)
  for (const problem of problems) console.error(problem)
  return problems.length === 0 ? 0 : 1
}

/** What the copy does not have, because it is no item. */
export function leftBehind(models: readonly AnyModel[]): readonly string[] {
  const keeping = describeModels(models).filter(({ history, trash }) => history || trash)
  if (keeping.length === 0) return []
  const names = joinWords(keeping.map(({ name }) => `'${name}'`))
  return [`Not copied: former versions and deleted items of ${names}, and the log of changes.`]
}

/** What was copied, in lines. */
export function summaryOf(report: MoveReport): string {
  const { itemCounts, writtenCount, resourceCount, copiedBytes, differences, sha256 } = report
  const total = Object.values(itemCounts).reduce((sum, number) => sum + number, 0)
  const isSame = differences.count === 0 && report.missedCount === 0
  return [
    ...Object.entries(itemCounts).map(([model, number]) => `${model}: ${formatNumber(number)}`),
    `Wrote ${formatNumber(writtenCount)} of ${countOf(total, 'item')}, and ${countOf(copiedBytes, 'byte')} of files.`,
    ...(isSame
      ? [
          `Checked: ${countOf(total, 'item')} and ${countOf(resourceCount, 'file')} are the same, SHA-256 ${sha256}.`,
        ]
      : []),
    ...(differences.count > 0
      ? [
          `Checked: ${formatNumber(differences.count)} of ${countOf(total, 'item')} ${differences.count === 1 ? 'differs' : 'differ'}.`,
        ]
      : []),
  ].join('\n')
}

/** Why the copy is not the same as the original. */
export function problemsOf({ conflicts, differences, missedCount }: MoveReport): readonly string[] {
  const others = withoutItems(differences, conflicts)
  return [
    ...(conflicts.count > 0
      ? [
          `The target has other content for ${countOf(conflicts.count, 'item')}, and keeps it: ${namesIn(conflicts)}. Use --overwrite to write over it.`,
        ]
      : []),
    ...(others.count > 0
      ? [
          `Different in the copy: ${countOf(others.count, 'item')}${others.first.length > 0 ? `, ${namesIn(others)}` : ''}. Something else wrote to one of the stores meanwhile, or the target does not keep the values as they are. Stop writes, and run the command again.`,
        ]
      : []),
    ...(missedCount > 0
      ? [
          `Not copied: ${countOf(missedCount, 'item')} of the source, such as items that were added meanwhile. Stop writes, and run the command again.`,
        ]
      : []),
  ]
}

/** The differences that are no conflicts. */
function withoutItems(differences: ItemList, conflicts: ItemList): ItemList {
  const names = new Set(conflicts.first.map(nameText))
  return {
    count: differences.count - conflicts.count,
    first: differences.first.filter((item) => !names.has(nameText(item))),
  }
}

function namesIn({ count: total, first }: ItemList): string {
  const names = first.map(nameText).join(', ')
  return total > first.length ? `${names} and ${formatNumber(total - first.length)} more` : names
}

function nameText({ model, id }: ItemName): string {
  return `${model} '${id}'`
}
