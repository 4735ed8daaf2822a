import type { StoreTransaction } from 'resourcery/store'
import { TransactionWrapper } from '../../src/store/wrap-store.ts'

/** The methods of a transaction, which may be an instance of a class, to replace some of them. */
export function methodsOf(transaction: StoreTransaction): StoreTransaction {
  const wrapper = new TransactionWrapper(transaction)
  const names = Object.getOwnPropertyNames(TransactionWrapper.prototype)
  const methods = names
    .filter((name) => name !== 'constructor')
    .map((name) => {
      const member = wrapper[name as keyof StoreTransaction]
      return [name, typeof member === 'function' ? member.bind(wrapper) : member]
    })
  return Object.fromEntries(methods)
}
