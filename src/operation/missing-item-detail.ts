import { truncate } from '../error/truncate.ts'

export function missingItemDetail(modelName: string, id: string): string {
  return `There is no ${modelName} with the id '${truncate(id, 128)}'.`
}
