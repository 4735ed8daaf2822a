import type { RelationField } from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { type IncludeRoot, openRelations, readableRelations } from './include-tree.ts'

/** Empty without relations. */
export function describeInclude(
  views: ModelViews,
  root: IncludeRoot,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const { paths, longerPathPattern } = listIncludablePaths(views, root, limits)
  if (paths.length === 0) return []
  const listed: JsonSchema = { type: 'string', enum: paths.map(({ path }) => path) }
  return [
    {
      name: 'include',
      description: `Related items to include: relation paths, separated by commas. A path has at most ${limits.maxRelationDepth} relations.`,
      schema: {
        type: 'array',
        maxItems: limits.maxIncludePaths,
        ...(!root.onlyRelation && { [relationsKeyword]: describeRelations(views, root.view) }),
        items: longerPathPattern
          ? { anyOf: [listed, { type: 'string', pattern: longerPathPattern }] }
          : listed,
      },
      style: 'commaSeparated',
      // A parameter for one relation belongs to one operation, so it is not shared.
      componentName: root.onlyRelation ? undefined : `${toPascalCase(root.view.model.name)}Include`,
    },
  ]
}

/** Says where the relations of a model lead, which clients need to put included items in place. */
const relationsKeyword = 'x-resourcery-relations'

/** By their names; `inverse` is the relation that leads back, if clients see it. */
function describeRelations(views: ModelViews, view: ModelView): JsonSchema {
  return Object.fromEntries(
    openRelations(views, view).map((relation) => {
      const { kind, wireName, relatedModel } = relation
      const inverse = kind === 'inverse' ? relation.inverseOf : undefined
      const isInverseSeen =
        inverse !== undefined && readableRelations(views.of(relatedModel)).includes(inverse)
      return [
        wireName,
        {
          to: relatedModel.plural,
          ...(kind !== 'toOne' && { isMany: true }),
          ...(isInverseSeen && { inverse: inverse.wireName }),
        },
      ]
    }),
  )
}

const maxListedPaths = 20

interface IncludablePath {
  readonly path: string
  readonly relation: RelationField
}

/** All paths that can be included, if they are few; else a pattern for the longer ones. */
function listIncludablePaths(
  views: ModelViews,
  { view, onlyRelation }: IncludeRoot,
  { maxRelationDepth }: RouterLimits,
): { readonly paths: readonly IncludablePath[]; readonly longerPathPattern: string | undefined } {
  const open = onlyRelation ? [onlyRelation] : openRelations(views, view)
  const paths: IncludablePath[] = []
  let level: readonly IncludablePath[] = open.map((relation) => ({
    path: relation.wireName,
    relation,
  }))
  for (let depth = 1; depth <= maxRelationDepth && level.length > 0; depth++) {
    if (depth > 1 && paths.length + level.length > maxListedPaths)
      return { paths, longerPathPattern: longerPathPattern(depth - 1, open, maxRelationDepth) }
    paths.push(...level)
    level = level.flatMap(({ path, relation: { relatedModel } }) =>
      openRelations(views, views.of(relatedModel)).map((relation) => ({
        path: `${path}.${relation.wireName}`,
        relation,
      })),
    )
  }
  return { paths, longerPathPattern: undefined }
}

function longerPathPattern(
  depth: number,
  open: readonly RelationField[],
  relationDepth: number,
): string {
  const starts = open.map(({ wireName }) => wireName).join('|')
  return `^(?:${starts})(?:\\.[A-Za-z][\\w-]*){${depth},${relationDepth - 1}}$`
}
