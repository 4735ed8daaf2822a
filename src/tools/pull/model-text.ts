import type { PulledMember, PulledModel } from './pulled-model.ts'
import { commentLines, memberKey, objectText } from './source-text.ts'

/** What of a model is printed, wherever it comes from. */
export type PrintedModel = Pick<PulledModel, 'name' | 'className' | 'members' | 'options'>

/** @param names further names of resourcery that the file uses */
export function modelImports(
  models: readonly PrintedModel[],
  names: readonly string[] = [],
): readonly string[] {
  const members = models.flatMap((model) => model.members)
  const used = new Set<string>(members.map(({ uses }) => uses))
  const functions = ['field', 'hash', 'toMany', 'toOne'].filter((name) => used.has(name))
  const scalars = new Set(members.flatMap(({ scalar }) => scalar ?? []))
  const imported = [...functions, ...scalars, ...names, 'model'].sort().join(', ')
  return [
    `import { ${imported} } from 'resourcery'`,
    ...(members.some(usesZod) ? ["import { z } from 'zod'"] : []),
  ]
}

/** The lines of a model: `export const Film = model('film', { … })`. */
export function modelText({ name, className, members, options }: PrintedModel): readonly string[] {
  const fields = members.flatMap(({ name: member, text, comment }) => [
    ...(comment === undefined ? [] : commentLines(comment).map((line) => `    ${line}`)),
    `    ${memberKey(member)}: ${text},`,
  ])
  if (options.length === 0)
    return [
      `export const ${className} = model('${name}', {`,
      ...fields.map((line) => line.slice(2)),
      '})',
    ]
  return [
    `export const ${className} = model(`,
    `  '${name}',`,
    '  {',
    ...fields,
    '  },',
    ...indentedObject(options),
    ')',
  ]
}

function usesZod({ uses, scalar }: PulledMember): boolean {
  return (uses === 'schema' || uses === 'field') && scalar === undefined
}

/** On one line if it is short. */
function indentedObject(members: PulledModel['options']): readonly string[] {
  const line = `  ${objectText(members)},`
  if (line.length <= 100) return [line]
  return ['  {', ...members.map(([name, value]) => `    ${name}: ${value},`), '  },']
}
