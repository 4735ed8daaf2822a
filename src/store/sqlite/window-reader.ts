import type { ModelDescription } from '../../model/description.ts'
import type { Window } from '../../query/query-plan.ts'
import { small } from '../sql/bounded.ts'
import type { Caller } from '../store.ts'
import type { Statement } from './asking.ts'
import type { Connection } from './connection.ts'
import type { Elsewhere } from './elsewhere.ts'
import { type ListQuestion, strollRows } from './list-question.ts'
import type { Question } from './question.ts'
import type { Row } from './rows.ts'
import { countOf, rowsOf } from './run-statement.ts'

/** The statements that answer a question about a window, and how many items the rows hold that they give. */
export interface WindowStatements {
  whole(): Statement
  strolled(): Statement
  count(rows: readonly Row[]): number
}

/** Reads windows of few items, wherever each is best read. */
export interface WindowReader {
  /** Are there few rows to look at, whatever the window? */
  isFew(question: Question): boolean
  /** @throws TooManyBytes where the texts of the window come to more than `maxBytes` */
  rows(
    model: ModelDescription,
    question: ListQuestion,
    window: Window,
    statements: WindowStatements,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Promise<Row[]>
}

/** @param elsewhere where long work goes; without, all is done here */
export function windowReader(connection: Connection, elsewhere: Elsewhere | undefined): WindowReader {
  const all = (statement: Statement, maxBytes: number): Row[] =>
    connection.upTo(maxBytes, () => rowsOf(connection, statement))

  const looked = (statement: Statement, caller: Caller | undefined, maxBytes: number): Row[] | Promise<Row[]> =>
    elsewhere ? elsewhere.rows(connection, statement, caller, maxBytes) : all(statement, maxBytes)

  const isFew = (question: Question): boolean =>
    question.kind === 'gather' && (question.most <= small || countOf(connection, question.probe(small)) <= small)

  /** The window, where the first rows along an index fill it or are all there are; undefined where more would have to be looked at. */
  const strolled = async (
    question: ListQuestion,
    { limit }: Window,
    { strolled, count }: WindowStatements,
    caller: Caller | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    const { stroll } = question
    if (!stroll.isPossible || limit > small) return undefined
    const rows = await looked(strolled(), caller, maxBytes)
    stroll.wasEnough = count(rows) === limit || countOf(connection, question.passed()) < strollRows
    return stroll.wasEnough ? rows : undefined
  }

  return {
    isFew,
    rows: async (model, question, window, statements, caller, maxBytes = Number.POSITIVE_INFINITY) => {
      if (question.kind === 'walk') return all(statements.whole(), maxBytes)
      if (!elsewhere?.isLarge(model)) return looked(statements.whole(), caller, maxBytes)
      const first = question.stroll.wasEnough
      const rows = first ? await strolled(question, window, statements, caller, maxBytes) : undefined
      if (rows) return rows
      if (isFew(question)) return looked(statements.whole(), caller, maxBytes)
      const late = first ? undefined : await strolled(question, window, statements, caller, maxBytes)
      return late ?? elsewhere.scans.rows(statements.whole(), caller, maxBytes)
    },
  }
}
