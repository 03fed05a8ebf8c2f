import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * For a dialog that is shown, as a modal of the browser, while it is mounted. It opens before the page is painted, so
 * that one can follow another without a gap, and closes while it is still in the page: only then does the browser give
 * the focus back to what had it before.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return ref
}
