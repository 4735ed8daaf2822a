import { truncate } from '../../error/truncate.ts'

/** The statement about a query parameter that an operation does not have, without a full stop. */
export function unknownParameterStatement(key: string): string {
  return `Unknown query parameter '${truncate(key)}'`
}
