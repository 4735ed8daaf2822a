import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import { both, relatesTo } from '../../query/conditions.ts'
import type { QueryPlan, SlicePlan } from '../../query/query-plan.ts'
import type { Access } from '../sql/bounded.ts'
import type { Compilation } from '../sql/compilation.ts'
import { listed } from '../sql/compile-plan.ts'
import { compileLinks, compilePages, linkOf } from '../sql/compile-related.ts'
import type { Table, TableOf } from '../sql/table.ts'
import type { Asked, Statement } from './asking.ts'
import { dialect, fits } from './dialect.ts'
import { columnsOf } from './rows.ts'

/** The pages of what many owners relate to. */
export interface RelatedQuestion {
  /** Whether an index leads from an owner to its items in the order of the plan, and is left as soon as the page is full. */
  readonly isWalk: boolean
  /** Counts what the owners relate to, but not beyond the limit. */
  probe(limit: number): Statement
  /** The items of each owner's page, the values of their sort keys, and the owner; broken off where their texts come to too many bytes. */
  pages(): Statement
  /** The same with nothing of the items but their ids. */
  places(): Statement
}

/**
 * Asks for what owners relate to, with one statement for all of them.
 * @param plans asks for items of one collection, whoever relates to them
 */
export function relatedQuestions(tableOf: TableOf, plans: (table: Table, plan: QueryPlan) => Asked<QueryPlan>) {
  return (
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: SlicePlan,
  ): RelatedQuestion => {
    const asked = plans(tableOf(relation.target), plan)
    const link = linkOf(dialect, tableOf, model, relation)
    const name = `${model.name}.${relation.name}`
    const more = [dialect.binder.list(owners)]
    const compile = (columns: readonly string[], condition?: string) => (parts: Compilation, question: QueryPlan) =>
      compilePages(parts, asked.table, question, {
        columns,
        link,
        owners: asked.nextSlot,
        ...(condition && { condition }),
      })
    return {
      isWalk: walksFrom(relation, plan, (alone) => plans(asked.table, alone).kind),
      probe: (limit) =>
        asked.statement(
          `probe ${limit} ${name}`,
          (parts) => compileLinks(parts, asked.table, link, asked.nextSlot, limit),
          more,
        ),
      pages: () => {
        const weighed = fits(`octet_length(${listed}."text")`)
        return asked.statement(`pages ${name}`, compile(columnsOf(relation.target), weighed), more)
      },
      places: () => asked.statement(`places ${name}`, compile(['"id"']), more),
    }
  }
}

function walksFrom(relation: ManyRelation, plan: SlicePlan, kindOf: (alone: QueryPlan) => Access['kind']): boolean {
  if (relation.kind === 'inverse' && relation.of.kind === 'toOne') {
    const ofOne = relatesTo(relation.of.name, 'toOne', ['any owner'])
    return kindOf({ ...plan, condition: both(ofOne, plan.condition) }) === 'walk'
  }
  // The pairs of a relation to many stand in the order of ids, and say nothing else of the items.
  return plan.sort.length === 0 && (plan.condition.kind === 'always' || plan.condition.kind === 'never')
}
