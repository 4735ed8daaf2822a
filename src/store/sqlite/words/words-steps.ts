import type { ModelDescription } from '../../../model/model-description.ts'
import { countOf } from '../../../text/message-text.ts'
import type { PlanStep } from '../../store-plan.ts'
import { searchedPaths } from './words-index.ts'
import { statesTable } from './words-sql.ts'

/** The rows of a query; none where the table is not there. */
export type QueryWords = (
  sql: string,
  table: string,
) => Promise<readonly (readonly unknown[])[]> | readonly (readonly unknown[])[]

/**
 * What a start does to indexes of words.
 * @param nameOf the name of the table of a model
 */
export async function wordsSteps(
  models: readonly ModelDescription[],
  nameOf: (model: ModelDescription) => string,
  query: QueryWords,
): Promise<readonly PlanStep[]> {
  const states = await query(`select "table", paths, filled from ${statesTable}`, statesTable)
  const steps: PlanStep[] = []
  const add = (summary: string): void => void steps.push({ kind: 'instant', summary, sql: [] })
  for (const model of models) {
    const table = nameOf(model)
    const searched = searchedPaths(model)
    const paths = JSON.stringify(searched)
    const own = states.filter(([name]) => name === table)
    const present = own.find(([, presentPaths]) => presentPaths === paths)
    for (const state of own)
      if (state !== present)
        add(`Drop an index of the words of '${model.plural}', which no search needs.`)
    if (searched.length === 0 || present?.[2] === null) continue
    const [[count] = [0]] = await query(
      `select count(*) from "${table.replaceAll('"', '""')}"`,
      table,
    )
    const items = `the words of ${countOf(Number(count), 'item')} of '${model.plural}'`
    if (Number(count) === 0) add(`Create an index of the words of '${model.plural}'.`)
    else add(`${present ? 'Go on to index' : 'Index'} ${items}, while the service runs.`)
  }
  return steps
}
