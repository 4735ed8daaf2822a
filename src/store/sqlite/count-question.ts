import type { Condition } from '../../query/query-plan.ts'
import { compileCount } from '../sql/compile-plan.ts'
import type { Asked, Statement } from './asking.ts'
import { gatherBy, type Question, questionOf } from './question.ts'

export interface CountQuestion extends Question {
  count(): Statement
}

export function countQuestion(asked: Asked<Condition>): CountQuestion {
  return {
    ...questionOf(asked),
    count: () =>
      asked.statement('count', (parts, condition, access) =>
        compileCount(parts, asked.table, condition, gatherBy(access).gather),
      ),
  }
}
