"""At any time: does it help?"""
