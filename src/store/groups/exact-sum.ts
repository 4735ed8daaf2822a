import {
  addDecimals,
  type DecimalNumber,
  decimalToText,
  toDecimalNumber,
  zero,
} from '../../query/decimal-number.ts'
import type { Scalar } from '../../query/query-plan.ts'

/** Doubles that are whole numbers of millionths are summed as such, which takes less time. */
const millionths = 1e6
const maxFastValue = 1e9
const maxFastSum = 2 ** 52

/** Sums numbers, and texts of decimal numbers, exactly. Other values are left out. */
export class ExactSum {
  #count = 0
  #fast = 0
  #sum: DecimalNumber = zero

  add(value: Scalar): void {
    if (typeof value === 'number') this.#addNumber(value)
    else if (typeof value === 'string') this.#addDecimal(toDecimalNumber(value))
  }

  result(): { readonly sum: string; readonly count: number } {
    this.#flush()
    return { sum: decimalToText(this.#sum), count: this.#count }
  }

  #addNumber(value: number): void {
    const scaled = Math.round(value * millionths)
    if (Math.abs(value) >= maxFastValue || scaled / millionths !== value)
      this.#addDecimal(toDecimalNumber(value))
    else {
      this.#count++
      this.#fast += scaled
      if (Math.abs(this.#fast) > maxFastSum) this.#flush()
    }
  }

  #addDecimal(number: DecimalNumber | undefined): void {
    if (!number) return
    this.#count++
    this.#sum = addDecimals(this.#sum, number)
  }

  #flush(): void {
    this.#sum = addDecimals(this.#sum, { digits: BigInt(this.#fast), scale: 6 })
    this.#fast = 0
  }
}
