/** Deliveries over time in a few pixels: bars from below, what failed on top of them in red. */
export function Spark({ label, values }: { label: string; values: readonly (readonly number[])[] }) {
  const most = Math.max(1, ...values.map(([good = 0, bad = 0]) => good + bad))
  const width = 100 / Math.max(1, values.length)
  return (
    <svg role="img" aria-label={label} viewBox="0 0 100 24" preserveAspectRatio="none" className="h-6 w-full">
      {values.map(([delivered = 0, failed = 0], at) => {
        const [good, bad] = [(delivered / most) * 24, (failed / most) * 24]
        return (
          // Bars have no key other than their index.
          <g key={at}>
            <rect x={at * width + 0.4} width={width - 0.8} y={24 - good} height={good} className="fill-accent" />
            <rect x={at * width + 0.4} width={width - 0.8} y={24 - good - bad} height={bad} className="fill-danger" />
          </g>
        )
      })}
      <line x1="0" x2="100" y1="23.5" y2="23.5" className="stroke-line" strokeWidth="1" />
    </svg>
  )
}
