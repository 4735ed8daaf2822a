import type { RelationField } from '../../model/description.ts'
import type { Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import type { DocumentedParameter } from '../parameter.ts'
import { type Root, relationsOf } from './include-tree.ts'

/** Nothing where there are no relations to include. */
export function documentedInclude(views: Views, root: Root, limits: Limits): readonly DocumentedParameter[] {
  const { paths, longer } = includable(views, root, limits)
  if (paths.length === 0) return []
  const listed: JsonSchema = { type: 'string', enum: paths.map(({ path }) => path) }
  return [
    {
      name: 'include',
      description: `Related items to send along: paths of relations, separated by commas, each at most ${limits.relationDepth} relations long.`,
      schema: {
        type: 'array',
        maxItems: limits.includePaths,
        items: longer ? { anyOf: [listed, { type: 'string', pattern: longer }] } : listed,
      },
      written: 'commas',
      // What is asked of one relation is asked by one operation.
      shared: root.first ? undefined : `${pascalOf(root.view.model.name)}Include`,
    },
  ]
}

/** So many paths are listed one by one. */
const listedPaths = 20

interface IncludablePath {
  readonly path: string
  readonly relation: RelationField
}

/** All paths that can be included, as long as they are few; of longer ones the form alone, as a regular expression. */
function includable(
  views: Views,
  { view, first }: Root,
  { relationDepth }: Limits,
): { readonly paths: readonly IncludablePath[]; readonly longer: string | undefined } {
  const open = first ? [first] : relationsOf(view)
  const paths: IncludablePath[] = []
  let level: readonly IncludablePath[] = open.map((relation) => ({ path: relation.wire, relation }))
  for (let depth = 1; depth <= relationDepth && level.length > 0; depth++) {
    if (depth > 1 && paths.length + level.length > listedPaths)
      return { paths, longer: longerThan(depth - 1, open, relationDepth) }
    paths.push(...level)
    level = level.flatMap(({ path, relation: { target } }) =>
      relationsOf(views.of(target)).map((relation) => ({ path: `${path}.${relation.wire}`, relation })),
    )
  }
  return { paths, longer: undefined }
}

function longerThan(depth: number, open: readonly RelationField[], relationDepth: number): string {
  const starts = open.map((one) => one.wire).join('|')
  return `^(?:${starts})(?:\\.[A-Za-z][\\w-]*){${depth},${relationDepth - 1}}$`
}
